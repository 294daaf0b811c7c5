import { type AttributeRegistry, defaults } from '#data/bios'
import { makeSigner } from '#test/host/certificates.ts'
import { resident } from '#test/host/process.ts'
import type { Connection, RawResponse } from '#test/host/raw.ts'
import { admin, type Server } from '#test/host/server.ts'
import { changedValues } from './attribute-registry.ts'
import { type Figure, median } from './figures.ts'
import { bios, type Measurement } from './measurement.ts'

const system = '/redfish/v1/Systems/1/'
const settings = `${bios}Settings/`
const certificates = `${system}SecureBoot/SecureBootDatabases/db/Certificates/`

/** Milliseconds of requests about the BIOS and secure boot on one keep-alive connection, and memory around them. */
export async function* biosRequests(
  measurement: Measurement,
  host: string,
  registry: AttributeRegistry,
  serve: (kept: boolean) => Promise<Server>
): AsyncGenerator<Figure> {
  const attributes = `${registry.RegistryEntries.Attributes.length} attributes`
  const each = async (name: string, times: number, act: (time: number) => Promise<number>): Promise<Figure> => {
    const taken: number[] = []
    for (let time = 0; time < times; time += 1) taken.push(await act(time))
    return { name: `${name}, ${host}`, value: median(taken), unit: 'ms' }
  }

  const unkept = await serve(false)
  const anew = await Client.open(unkept)
  yield await each(`GET of Bios with ${attributes}, not kept`, 200, () => anew.timed('GET', bios))
  await unkept.stop()

  const server = await serve(true)
  const client = await Client.open(server)
  yield { name: `memory before the requests about the BIOS, ${host}`, value: resident(server.process.pid), unit: 'B' }
  yield await each(`GET of Bios with ${attributes}, kept`, 200, () => client.timed('GET', bios))

  const usual = defaults(registry)
  const changed = changedValues(registry)
  const [one = ''] = Object.keys(changed)
  const all = [{ ...usual, ...changed }, usual]
  const patch = (values: object) => client.timed('PATCH', settings, { Attributes: values })
  yield await each('PATCH of one attribute', 40, (time) => patch({ [one]: all[time % 2]?.[one] }))
  yield await each(`PATCH of all ${attributes}`, 20, (time) => patch(all[time % 2] ?? {}))
  yield await each('transfer of one attribute at reset', 10, async (time) => {
    await patch({ [one]: all[time % 2]?.[one] })
    return transfer(server, client)
  })
  yield await each(`transfer of all ${attributes} at reset`, 10, async (time) => {
    await patch(all[time % 2] ?? {})
    return transfer(server, client)
  })

  const { certificate } = makeSigner(measurement, { subject: '/CN=Image signing' })
  yield await each('enrolment of a certificate', 20, async () => {
    const begun = performance.now()
    const { headers } = await client.ask('POST', certificates, {
      CertificateString: certificate,
      CertificateType: 'PEM'
    })
    const taken = performance.now() - begun
    await client.ask('DELETE', String(headers.location))
    return taken
  })
  yield { name: `memory after the requests about the BIOS, ${host}`, value: resident(server.process.pid), unit: 'B' }
  await server.stop()
}

/** From the request to restart the host to the answer that has the new values. */
async function transfer(server: Server, client: Client): Promise<number> {
  const { etag = '' } = (await client.ask('GET', bios)).headers
  const begun = performance.now()
  await client.ask('POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
  while ((await client.ask('GET', bios, undefined, { 'if-none-match': etag })).status === 304) {
    if (performance.now() - begun > 10_000) throw new Error('the settings are never transferred')
  }
  const taken = performance.now() - begun
  await server.until(
    () => server.get(system),
    ({ json }) => json.PowerState === 'On'
  )
  return taken
}

/** One keep-alive connection. */
class Client {
  readonly #connection: Connection

  private constructor(connection: Connection) {
    this.#connection = connection
  }

  static async open(server: Server): Promise<Client> {
    return new Client(await server.connect())
  }

  /** @throws Error when the answer is no success and not 304 */
  async ask(
    method: string,
    path: string,
    body?: object,
    fields: Readonly<Record<string, string>> = {}
  ): Promise<RawResponse> {
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
    const json = body && { 'content-type': 'application/json', 'content-length': String(bytes.length) }
    const head = Object.entries({ host: 'bmc', ...admin, ...json, ...fields }).map(
      ([name, value]) => `${name}: ${value}`
    )
    this.#connection.write(
      Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`), bytes])
    )
    const answer = await this.#connection.response()
    if (!answer || (answer.status >= 300 && answer.status !== 304)) {
      throw new Error(`${method} ${path}: answered ${answer?.status} ${answer?.body}`)
    }
    return answer
  }

  /** Milliseconds until the answer was there. */
  async timed(...request: Parameters<Client['ask']>): Promise<number> {
    const begun = performance.now()
    await this.ask(...request)
    return performance.now() - begun
  }
}
