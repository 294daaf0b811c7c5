import { Pool } from 'undici'
import type { Json } from '#test/host/server.ts'
import { type Figure, quantile } from './figures.ts'

/** Reads a resource; undefined if there is nothing at the URI. */
export type Get = (uri: string) => Promise<Json>

const root = '/redfish/v1/'

/** The requests of common clients to any Redfish service. The caller logs in before them, and ends the session afterwards. */
export const clients: Readonly<Record<string, (get: Get) => Promise<void>>> = {
  async 'a scrape by an exporter of metrics'(get) {
    for (const system of await members(get, 'Systems')) {
      for (const part of ['Memory', 'Processors', 'Storage']) {
        for (const each of await membersOf(get, system[part])) {
          for (const { '@odata.id': drive } of each.Drives ?? []) await get(drive)
        }
      }
    }
    for (const chassis of await members(get, 'Chassis')) {
      for (const part of ['Thermal', 'Power', 'ThermalSubsystem', 'PowerSubsystem']) {
        const shown = await linked(get, chassis[part])
        for (const group of ['Fans', 'PowerSupplies']) await membersOf(get, shown?.[group])
      }
      await membersOf(get, chassis.Sensors)
    }
    await members(get, 'Managers')
  },
  async 'a sync of power states and boot devices, as Ironic does'(get) {
    for (const system of await members(get, 'Systems')) {
      await get(system['@odata.id'])
      for (const part of ['Bios', 'SecureBoot']) await linked(get, system[part])
      for (const manager of system.Links?.ManagedBy ?? []) {
        const { VirtualMedia } = await get(manager['@odata.id'])
        await membersOf(get, VirtualMedia)
      }
    }
  },
  async 'a crawl with $expand of each collection'(get) {
    const collections = new Set<string>()
    const find = (found: Json) =>
      JSON.stringify(found, (name, value) => {
        if (name === '@odata.id' && /^\/redfish\/v1\/(?!JsonSchemas|Registries|SessionService)[^#]*$/.test(value)) {
          collections.add(value)
        }
        return value
      })
    find(await get(root))
    const expanded = new Set<string>()
    for (const uri of collections) {
      if (expanded.has(uri.split('?')[0]!)) continue
      const found = await get(`${uri}?$expand=.($levels=1)`)
      expanded.add(uri)
      for (const { '@odata.id': member } of found?.Members ?? []) expanded.add(member)
      if (found !== undefined) find(found)
    }
  },
  async 'ten pages of a log'(get) {
    for (const holder of ['Systems', 'Managers']) {
      for (const { LogServices } of await members(get, holder)) {
        for (const log of await membersOf(get, LogServices)) {
          for (let page = 0; page < 10; page++) await get(`${log.Entries['@odata.id']}?$top=10&$skip=${10 * page}`)
        }
      }
    }
  },
  async 'ten polls of temperatures, power and systems'(get) {
    const [chassis, systems] = [await members(get, 'Chassis'), await members(get, 'Systems')]
    for (let poll = 0; poll < 10; poll++) {
      for (const each of chassis) for (const part of ['Thermal', 'Power']) await linked(get, each[part])
      for (const each of systems) await get(each['@odata.id'])
    }
  }
}

/** The resource of a link, if there is one: `Fans` of an older resource are an array. */
async function linked(get: Get, link: Json): Promise<Json> {
  const uri = link?.['@odata.id']
  return uri === undefined ? undefined : get(uri)
}

/** The members of a collection of the service root. */
async function members(get: Get, name: string): Promise<Json[]> {
  const found = await get(root)
  return membersOf(get, found[name])
}

async function membersOf(get: Get, link: Json): Promise<Json[]> {
  const all: Json[] = []
  for (const { '@odata.id': uri } of (await linked(get, link))?.Members ?? []) all.push(await get(uri))
  return all.filter((each) => each !== undefined)
}

/** The times of these clients with a service that may be anybody's. */
export async function* clientsOf(url: string, user: string, password: string): AsyncGenerator<Figure> {
  const pool = new Pool(url, { connect: { rejectUnauthorized: false }, connections: 1 })
  for (const [name, perform] of Object.entries(clients)) {
    const times: number[] = []
    let bytes = 0
    const begin = performance.now()
    const { token, session } = await login(pool, user, password)
    await perform(async (path) => {
      const start = performance.now()
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers: { 'x-auth-token': token } })
      const text = await body.text()
      times.push(performance.now() - start)
      bytes += text.length
      if (statusCode >= 400 && statusCode !== 404 && !path.includes('?')) throw new Error(`${path}: ${statusCode}`)
      return statusCode < 300 ? JSON.parse(text) : undefined
    })
    await pool.request({ method: 'DELETE', path: session, headers: { 'x-auth-token': token } })
    yield { name: `${name}: whole`, value: performance.now() - begin, unit: 'ms' }
    yield { name: `${name}: GETs`, value: times.length, unit: 'resources' }
    yield { name: `${name}: p50 of a GET`, value: quantile(times, 0.5), unit: 'ms' }
    yield { name: `${name}: the slowest GET`, value: quantile(times, 1), unit: 'ms' }
    yield { name: `${name}: received`, value: bytes, unit: 'B' }
  }
  await pool.close()
}

async function login(pool: Pool, user: string, password: string): Promise<{ token: string; session: string }> {
  const { statusCode, headers, body } = await pool.request({
    method: 'POST',
    path: `${root}SessionService/Sessions`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ UserName: user, Password: password })
  })
  await body.dump()
  if (statusCode !== 201) throw new Error(`no login as ${user}: ${statusCode}`)
  const { pathname } = new URL(String(headers.location), 'https://service')
  return { token: String(headers['x-auth-token']), session: pathname }
}
