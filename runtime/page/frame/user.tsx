import type { ComponentChildren } from 'preact'
import { Popover } from '../parts/popover.tsx'
import { Segments } from '../parts/segments.tsx'
import { session } from '../service/client.ts'
import { chooseLanguage, theme, themes } from '../service/preferences.ts'
import { logOut } from '../service/session.ts'
import { type Language, language, languages, t } from '../words/index.ts'
import { Icon } from './icons.tsx'

/** The user, with the choices that this browser keeps, the way out, and what else a page offers. */
export function User({ children }: { readonly children?: ComponentChildren }) {
  return (
    <Popover
      label={session.value?.user}
      button={
        <>
          <Icon name="user" /> <bdi>{session.value?.user}</bdi>
        </>
      }
      kind="plain-look"
    >
      <Segments
        label={t('theme')}
        choices={themes.map((each) => [each, t(`theme-${each}`)] as const)}
        value={theme.value}
        onChoose={(chosen) => {
          theme.value = chosen
        }}
      />
      <label>
        {t('language')}
        <select
          value={language.value}
          onChange={({ currentTarget }) => void chooseLanguage(currentTarget.value as Language)}
        >
          {Object.entries(languages).map(([code, { name }]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={() => void logOut()}>
        {t('logOut')}
      </button>
      {children}
    </Popover>
  )
}
