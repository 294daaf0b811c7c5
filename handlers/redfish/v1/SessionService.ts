import { sessionPolicy } from '#data/accounts'
import { child, resource, status } from '#data/resource'
import { changed, type Get, type Patch } from '#runtime/contract'

export const schema = resource('SessionService.v1_1_9', 'Logins with a token, and how long they last', {
  ServiceEnabled: { type: 'boolean', readonly: false },
  SessionTimeout: { type: 'integer', minimum: 30, maximum: 86_400, readonly: false },
  Sessions: child('Sessions'),
  Status: status
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

export const GET: Get<typeof schema> = ({ state, configuration }) => {
  const { enabled, timeout } = sessionPolicy(state.get('sessionService', 'settings'), configuration)
  return {
    Name: 'Session service',
    ServiceEnabled: enabled,
    SessionTimeout: timeout,
    Status: { State: enabled ? 'Enabled' : 'Disabled' }
  }
}

export const PATCH: Patch<typeof schema> = ({ body }) =>
  changed({ sessionService: { settings: { enabled: body.ServiceEnabled, timeout: body.SessionTimeout } } })
