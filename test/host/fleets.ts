import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { Agent, request } from 'undici'
import type { Host } from './hosts.ts'
import { Process } from './process.ts'
import { admin, type Json, password } from './server.ts'

export interface Member {
  readonly kind?: string
  readonly rack?: string
  readonly unit?: number
  readonly number: number
  readonly url: string
  readonly uuid: string
  readonly serialNumber: string
  readonly hostName: string
}

interface Running {
  readonly process: Process
  readonly line: string
  readonly members: readonly Member[]
}

/** Starts a fleet. @param data its directory, for what it says about its controllers */
export async function startFleet(t: Test, host: Host, data: string, ...args: string[]): Promise<Running> {
  const process = new Process(host, ['fleet', ...args], { MINNOW_ADMIN_PASSWORD: password })
  t.teardown(() => process.kill('SIGKILL'))
  const line = await process.ready()
  return { process, line, members: JSON.parse(readFileSync(join(data, 'inventory.json'), 'utf8')) }
}

interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly json: Json
  readonly text: string
}

/** Asks controllers as their administrator. */
export function client(t: Test) {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  t.teardown(() => dispatcher.destroy())
  return async (method: string, url: string, body?: object, more = {}): Promise<Answered> => {
    const headers = { ...admin, ...more, ...(body && { 'content-type': 'application/json' }) }
    const sent = { method: method as 'GET', headers, dispatcher, body: body ? JSON.stringify(body) : null }
    const answer = await request(url, sent)
    const text = await answer.body.text()
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text,
      json: text.startsWith('{') ? JSON.parse(text) : undefined
    }
  }
}
