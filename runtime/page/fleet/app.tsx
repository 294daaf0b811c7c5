import { useEffect } from 'preact/hooks'
import { Connection } from '../frame/connection.tsx'
import { User } from '../frame/user.tsx'
import { Questions } from '../parts/question.tsx'
import { Login, LoginAgain } from '../screens/login.tsx'
import { expired, session } from '../service/client.ts'
import { Fleet } from './fleet.tsx'
import { f } from './words/index.ts'

/** The only user of a fleet's page. */
const user = 'admin'

/** The page of a fleet: a login, or the controllers. */
export function App() {
  const title = f('fleet')
  useEffect(() => {
    document.title = title
  }, [title])
  return (
    <>
      {session.value === undefined ? <Login title={title} user={user} /> : <Frame />}
      {expired.value && <LoginAgain />}
      <Questions />
    </>
  )
}

function Frame() {
  const logo = document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href
  return (
    <div class="frame alone">
      <header class="top">
        <img class="logo" src={logo} alt="" />
        <strong>Mgmt</strong>
        <Connection />
        <User />
      </header>
      <main>
        <h1>{f('fleet')}</h1>
        <Fleet />
      </main>
    </div>
  )
}
