import { useLayoutEffect, useRef } from 'preact/hooks'
import { addressOf } from '../router.ts'
import { valueIn } from '../rules/known.ts'
import { groups, type Screen } from '../screens/index.ts'
import type { Shown } from '../service/client.ts'
import { useResource } from '../service/resources.ts'
import { t } from '../words/index.ts'
import { Connection } from './connection.tsx'
import { Icon } from './icons.tsx'

interface Props {
  readonly shown: Screen
  /** Whether it is shown in front of the page where a window is too narrow for both. */
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** The product, and the links to the screens in groups. */
export function Sidebar({ shown, isOpen, onClose }: Props) {
  const element = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (!isOpen) return
    element.current?.querySelector('a')?.focus()
    const close = ({ target }: Event) => {
      if (target instanceof Element && target.closest('.side, .drawer') === null) onClose()
    }
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && onClose()
    addEventListener('pointerdown', close)
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('pointerdown', close)
      removeEventListener('keydown', onKey)
    }
  }, [isOpen])
  return (
    <nav ref={element} class={`side ${isOpen ? 'open' : ''}`} aria-label={t('screens')}>
      <Product />
      {groups.map(({ word, screens }) => (
        <div key={word}>
          {word && <h2>{t(word)}</h2>}
          <ul>
            {screens.map((screen) => (
              <li key={screen.path}>
                <a href={addressOf(screen.path)} aria-current={screen === shown ? 'page' : undefined} onClick={onClose}>
                  <Icon name={screen.word} />
                  {t(screen.word)}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <p>
        <Connection />
      </p>
    </nav>
  )
}

/** The maker's logo and the name of the product. */
function Product() {
  const root = valueIn(useResource<Shown>('/redfish/v1/'))
  const logo = document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href
  return (
    <strong>
      <img src={logo} alt="" />
      {(root?.Product as string | undefined) ?? t('controller')}
    </strong>
  )
}
