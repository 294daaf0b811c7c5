import { Frame } from './frame/frame.tsx'
import { Questions } from './parts/question.tsx'
import { Toasts } from './parts/toast.tsx'
import { valueIn } from './rules/known.ts'
import { ChangePassword, EnrolFirst, Login, LoginAgain } from './screens/login.tsx'
import { expired, mustChange, mustEnrol, type Shown, session } from './service/client.ts'
import { useResource } from './service/resources.ts'
import { t } from './words/index.ts'

/** The login, under the name of the product. */
function Start() {
  const root = valueIn(useResource<Shown>('/redfish/v1/'))
  return <Login title={(root?.Product as string | undefined) ?? t('controller')} />
}

/** The page: a login, or the screens in their frame. */
export function App() {
  // The login and the frame show it; what one has read, the other one keeps.
  useResource('/redfish/v1/')
  return (
    <>
      {session.value === undefined ? <Start /> : <Frame />}
      {expired.value && <LoginAgain />}
      {mustChange.value !== undefined && !expired.value && <ChangePassword account={mustChange.value} />}
      {mustEnrol.value !== undefined && mustChange.value === undefined && !expired.value && (
        <EnrolFirst account={mustEnrol.value} />
      )}
      <Questions />
      <Toasts />
    </>
  )
}
