import { useState } from 'preact/hooks'
import { Opened } from '../parts/opened.tsx'
import { Modal } from '../parts/question.tsx'
import { t } from '../words/index.ts'

const load = async () => (await import('./own-password.tsx')).Own

/** Changes the password of the user, which every role may. */
export function OwnPassword() {
  const [isOpen, setOpen] = useState(false)
  const [isChanged, setChanged] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setChanged(false)
          setOpen(true)
        }}
      >
        {t('changePassword')}
      </button>
      {isChanged && <p role="status">{t('passwordChanged')}</p>}
      {isOpen && (
        <Modal title={t('changePassword')} onClose={close}>
          <Opened
            load={load}
            props={{
              onClose: close,
              onDone: () => {
                setChanged(true)
                close()
              }
            }}
          />
        </Modal>
      )}
    </>
  )
}
