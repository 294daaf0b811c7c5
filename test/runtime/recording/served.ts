import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { boardFaults } from '#data/board'
import { loadBackends } from '#hal/backends.ts'
import { openService } from '#runtime/open/service.ts'
import { recordings } from '#runtime/recording/recordings.ts'
import { directory } from '#test/host/server.ts'
import { as, password, simulated } from '#test/runtime/service.ts'

/** A service of a recording. */
export async function serve(t: Test, file: object) {
  const { parts } = simulated(directory(t))
  const configuration = { ...parts.configuration, eraseTime: 0.02 }
  const machine = recordings.read(file, parts)
  t.strictSame(boardFaults(machine.board, await loadBackends()), [])
  let service = await openService({ ...parts, ...machine, configuration })
  t.teardown(() => service.close())
  const ask = async (method: string, target: string, body?: object, more: Record<string, string> = {}) => {
    const headers = { ...as('admin', password), ...more, ...(body && { 'content-type': 'application/json' }) }
    const bytes = body && new TextEncoder().encode(JSON.stringify(body))
    const request = { method, target, headers, address: '127.0.0.1', ...(bytes && { body: bytes }) }
    const { status, headers: flat, body: answered } = await service.handling.handle(request)
    const text = new TextDecoder().decode(answered)
    return {
      status,
      text,
      tag: flat[flat.indexOf('ETag') + 1]!,
      location: flat[flat.indexOf('Location') + 1]?.replace(/\/$/, '') ?? '',
      json: text.startsWith('{') ? JSON.parse(text) : undefined
    }
  }
  const restart = async () => {
    await service.close()
    service = await openService({ ...parts, ...machine, configuration })
  }
  const events = () => service.store.keys('event').map((key) => service.store.get('event', key)!)
  return { ask, restart, events }
}

/** Lets timers run until something is so, for a minute at most. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('never so')
    await pause(2)
  }
}
