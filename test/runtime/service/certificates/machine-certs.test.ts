import t from 'tap'
import type { Certificates } from '#hal/certificates.ts'
import type { CertName, Certs } from '#hal/certs.ts'
import { HalError } from '#hal/errors.ts'
import { MessageError } from '#runtime/contract'
import { machineCerts } from '#runtime/service/certificates/machine-certs.ts'
import { Authority } from '#test/host/authority.ts'

const authority = new Authority(t, 'Machines')
const issued = authority.issue()
const pair = issued.key + issued.cert

/** The certificates of the service and of another program, with the calls that both receive. */
function held() {
  const told: string[] = []
  const listeners: ((what: 'server') => void)[] = []
  const own = {
    get: (name: CertName) => `own ${name}`,
    where: (name: CertName) => `certs/${name}.pem`,
    set: async (name: CertName, text: string) => void told.push(`own ${name} ${text}`),
    delete: async (name: CertName) => void told.push(`no own ${name}`),
    on: () => () => told.push('own listener left'),
    close: () => undefined
  }
  const machine = {
    server: undefined as string | undefined,
    replace: async (text: string) => void told.push(`machine ${text}`),
    on: (listener: (what: 'server') => void) => {
      listeners.push(listener)
      return () => told.push('listener left')
    }
  }
  return { told, listeners, machine, certs: machineCerts(own as unknown as Certs, machine as unknown as Certificates) }
}

t.test('the certificate of HTTPS is that of the other program, where TLS can use it', async (t) => {
  const { machine, certs } = held()
  t.equal(certs.get('server'), 'own server', 'without a certificate of the other program')
  machine.server = pair
  t.equal(certs.get('server'), pair)
  t.equal(certs.get('request'), 'own request')
  machine.server = issued.cert
  t.equal(certs.get('server'), 'own server', 'a certificate without its key')
  t.equal(certs.where('server'), 'certs/server.pem')
})

t.test('a chain that is too long for clients or for TLS is not served', async (t) => {
  const { machine, certs } = held()
  const large = authority.issue({ extensions: [`nsComment=${'x'.repeat(2_500)}`] })
  for (const [most, { key, cert }] of [
    [10, issued],
    [5, large]
  ] as const) {
    machine.server = key + cert.repeat(most)
    t.equal(certs.get('server'), machine.server)
    machine.server += cert
    t.equal(certs.get('server'), 'own server')
  }
})

t.test('an installed certificate goes to the other program, and the rest stays with the service', async (t) => {
  const { told, certs } = held()
  await certs.set('server', pair)
  await certs.set('request', 'key')
  const selfMade = `The service made this, and renews it.\n${pair}`
  await certs.set('server', selfMade)
  await certs.delete('request')
  t.same(told, [`machine ${pair}`, 'own request key', `own server ${selfMade}`, 'no own request'])
})

t.test('a refusal of the other program is one of the request', async (t) => {
  const { machine, certs } = held()
  machine.replace = async () => {
    throw new HalError('EINVAL', 'it refuses')
  }
  const error = await certs.set('server', pair).catch((error: unknown) => error)
  t.type(error, MessageError)
  t.match(error, { status: 400 })
})

t.test('a listener hears of both, until it leaves both', async (t) => {
  const { told, listeners, certs } = held()
  const heard: string[] = []
  const leave = certs.on((name) => heard.push(name))
  listeners[0]?.('server')
  t.same(heard, ['server'])
  leave()
  t.same(told, ['own listener left', 'listener left'])
})
