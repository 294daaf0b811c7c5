import { useState } from 'preact/hooks'
import { Opened } from '../parts/opened.tsx'
import { Modal } from '../parts/question.tsx'
import { t } from '../words/index.ts'

const load = async () => (await import('./own-factor.tsx')).OwnFactor

/** Opens the second factor of the user. */
export function SecondFactor() {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {t('secondFactor')}
      </button>
      {isOpen && (
        <Modal title={t('secondFactor')} onClose={close}>
          <Opened load={load} props={{ onClose: close }} />
        </Modal>
      )}
    </>
  )
}
