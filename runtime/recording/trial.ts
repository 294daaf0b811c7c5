import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { configuration as defaults } from '#data/configuration'
import { systemClock } from '#hal/clock.ts'
import { hex, utf8, utf8Text } from '#runtime/base/bytes.ts'
import { setLogLevel } from '#runtime/base/log.ts'
import { readBoardFile } from '#runtime/command/board-file.ts'
import type { Host } from '#runtime/open/options.ts'
import { openService, type Service } from '#runtime/open/service.ts'
import type { Resources } from './resources.ts'

/** The answer to a GET. */
export interface Answered {
  readonly status: number
  readonly text: string
}

/**
 * Serves a recording, in a directory that is gone afterwards, and reads each of its resources.
 *
 * @param file the recording
 * @param said called with each resource that does not answer, and what comes instead
 * @throws SettingsError for a board that the service refuses
 */
export async function trial(file: string, resources: Resources, host: Host, said: (line: string) => void) {
  await whileServed(file, host, async (get) => {
    for (const path of resources.keys()) {
      const { status, text } = await get(path)
      if (status !== 200) said(`${path}: status ${status}${messageIn(text)}`)
    }
  })
}

/**
 * Serves a recording for as long as a function runs, in a directory that is gone afterwards.
 *
 * @param read given a function that reads a resource as an administrator
 * @throws SettingsError for a board that the service refuses
 */
export async function whileServed(
  file: string,
  host: Host,
  read: (get: (path: string) => Promise<Answered>) => Promise<void>
) {
  const machine = await readBoardFile(file, host)
  const data = `${tmpdir()}/minnow-record-${hex(randomBytes(8))}`
  const adminPassword = hex(randomBytes(16))
  setLogLevel('error')
  mkdirSync(data, { mode: 0o700 })
  try {
    const configuration = { ...defaults, data }
    const service = await openService({ ...host, ...machine, configuration, adminPassword, clock: systemClock })
    try {
      await read(await loggedIn(service, adminPassword))
    } finally {
      await service.close()
    }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

async function loggedIn({ handling }: Service, password: string) {
  const ask = async (method: string, target: string, more: { headers: Record<string, string>; body?: Uint8Array }) =>
    await handling.handle({ method, target, address: '127.0.0.1', ...more })
  const login = utf8(JSON.stringify({ UserName: 'admin', Password: password }))
  const json = { 'content-type': 'application/json' }
  const { headers } = await ask('POST', '/redfish/v1/SessionService/Sessions/', { headers: json, body: login })
  const session = { headers: { 'x-auth-token': headers[headers.indexOf('X-Auth-Token') + 1] ?? '' } }
  return async (path: string) => {
    const { status, body } = await ask('GET', `${path}/`, session)
    return { status, text: utf8Text(body) }
  }
}

/** The id of the first message of an error, after a colon. */
function messageIn(text: string): string {
  const [, message] = /"MessageId":"([^"]{1,200})/.exec(text) ?? []
  return message === undefined ? '' : `: ${message}`
}
