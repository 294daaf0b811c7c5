import { type ComponentType, h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from '../words/index.ts'

interface Props<P> {
  readonly load: () => Promise<ComponentType<P>>
  readonly props: P
}

/** A component from a file of its own, once it is loaded. */
export function Opened<P extends object>({ load, props }: Props<P>) {
  const [loaded, setLoaded] = useState<ComponentType<P> | 'failed'>()
  useEffect(() => {
    load().then(
      (Component) => setLoaded(() => Component),
      () => setLoaded('failed')
    )
  }, [load])
  if (loaded === undefined) return <progress aria-label={t('loading')} />
  if (loaded !== 'failed') return h(loaded, props)
  return (
    <div class="problem" role="alert">
      <p>{t('screenNotLoaded')}</p>
      <button type="button" onClick={() => location.reload()}>
        {t('tryAgain')}
      </button>
    </div>
  )
}
