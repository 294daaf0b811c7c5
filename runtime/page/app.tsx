import { useEffect } from 'preact/hooks'
import { Frame } from './frame/frame.tsx'
import { Questions } from './parts/question.tsx'
import { ChangePassword, Login, LoginAgain } from './screens/login.tsx'
import { expired, mustChange, session } from './service/client.ts'
import { language } from './words/index.ts'

/** The page: a login, or the screens in their frame. */
export function App() {
  useEffect(() => {
    document.documentElement.lang = language.value
  }, [language.value])
  return (
    <>
      {session.value === undefined ? <Login /> : <Frame />}
      {expired.value && <LoginAgain />}
      {mustChange.value !== undefined && !expired.value && <ChangePassword account={mustChange.value} />}
      <Questions />
    </>
  )
}
