import type { Test } from 'tap'
import { messagesOf } from './messages-of.ts'
import { admin, anonymous, basic, password, type Server } from './server.ts'
import { secret } from './slapd.ts'

export const service = '/redfish/v1/AccountService/'
const sessions = '/redfish/v1/SessionService/Sessions'

/** The answer to an unknown user, a wrong password, or a user without a role. */
export const refused = '401 Mgmt.UnauthorizedLoginAttempt()'

/** The role that a user logs in with, or the refusal. */
export async function roleOf(server: Server, user: string, secretOf = secret): Promise<string> {
  const answer = await server.post(sessions, { UserName: user, Password: secretOf }, anonymous)
  if (answer.status !== 201) return [answer.status, ...messagesOf(answer)].join(' ')
  return answer.json.Roles.join()
}

const chassis = '/redfish/v1/Chassis/1/'

/** A directory of a test, which can be stopped for a while, and ended. */
interface Interruptible {
  freeze(): Promise<void>
  thaw(): void
  stop(): Promise<void>
}

/** Users of a directory that is stopped, and then dead, cannot log in meanwhile; those with an account can at once. */
export async function interrupt(t: Test, server: Server, directory: Interruptible): Promise<void> {
  const unavailable = /^503 Base.ServiceTemporarilyUnavailable/
  await directory.freeze()
  const waiting = roleOf(server, 'bob')
  t.equal(await Promise.race([waiting, roleOf(server, 'admin', password)]), 'Administrator')
  t.match(await waiting, unavailable)
  directory.thaw()
  await comesBack(server, 'bob')
  await directory.stop()
  t.match(await roleOf(server, 'alice'), unavailable)
  t.equal(await roleOf(server, 'admin', password), 'Administrator')
  t.equal((await server.get(chassis, admin)).status, 200)
}

/** Waits until a user of a directory can log in again. */
export const comesBack = (server: Server, user: string) =>
  server.until(
    () => server.get(chassis, basic(user, secret)),
    ({ status }) => status === 200
  )
