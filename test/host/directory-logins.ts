import { messagesOf } from './messages-of.ts'
import { anonymous, type Server } from './server.ts'
import { secret } from './slapd.ts'

export const service = '/redfish/v1/AccountService/'
const sessions = '/redfish/v1/SessionService/Sessions'

/** What a user gets who is unknown, has another password, or has no role. */
export const refused = '401 Mgmt.UnauthorizedLoginAttempt()'

/** The role that a user logs in with, or the refusal. */
export async function roleOf(server: Server, user: string, secretOf = secret): Promise<string> {
  const answer = await server.post(sessions, { UserName: user, Password: secretOf }, anonymous)
  if (answer.status !== 201) return [answer.status, ...messagesOf(answer)].join(' ')
  return answer.json.Roles.join()
}
