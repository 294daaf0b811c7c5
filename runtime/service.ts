import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import type { Board, Configuration } from '#data'
import { makeFirstAdministrator } from './administrator.ts'
import { Authentication } from './authenticate.ts'
import { type Backends, openDevices } from './boards.ts'
import { Accounts } from './credentials.ts'
import type { Documents } from './documents.ts'
import { Firmware } from './firmware.ts'
import { Handling } from './handle.ts'
import type { Command } from './handler.ts'
import { hex } from './hex.ts'
import { log } from './log.ts'
import { Logbook } from './logbook.ts'
import { Hardware } from './machine.ts'
import { type HandlerEntry, Routes } from './routes.ts'
import { Sessions } from './sessions.ts'
import { Store } from './store.ts'
import type { Surroundings } from './view.ts'

/** How often sessions whose time is over are looked for, in milliseconds. */
const reapEvery = 30_000

export interface ServiceParts {
  readonly configuration: Configuration
  readonly board: Board
  readonly backends: Backends
  readonly documents: Documents
  readonly handlers: readonly HandlerEntry[]
  /** Of the build. */
  readonly version: string
  readonly adminPassword?: string | undefined
  /** The clock; the system's where none is given. */
  readonly now?: () => number
}

/** The service without its listener: what the two hosts and the tests of the protocol open alike. */
export interface Service {
  readonly handling: Handling
  readonly hardware: Hardware
  readonly store: Store
  /** The first administrator's password, when it was generated at this start. */
  readonly generatedPassword: string | undefined
  /** Calls back when the service is told to restart itself. */
  onRestart(listener: () => void): void
  close(): Promise<void>
}

/** @throws StoreError, SettingsError; nothing stays open then */
export async function openService(parts: ServiceParts): Promise<Service> {
  const { configuration, board, documents, handlers, now = Date.now } = parts
  const store = await Store.open(`${configuration.data}/store`, configuration.store)
  try {
    const directory = `${configuration.data}/machine`
    mkdirSync(directory, { recursive: true })
    const devices = openDevices(board, parts.backends, directory)
    const hardware = new Hardware(board, devices, store.revisions, documents)
    const logbook = new Logbook(store, board, configuration, now)
    logbook.watch(devices)
    const firmware = new Firmware(store, hardware, devices, now)
    await firmware.open()
    const accounts = new Accounts(store, configuration, now)
    accounts.onLocked = (user) => logbook.managers('Warning', `The account ${user} is locked after failed logins.`)
    const sessions = new Sessions(store, accounts, configuration, now)
    const generatedPassword = await makeFirstAdministrator(store, accounts, parts.adminPassword, new Date(now()))
    const around: Surroundings = {
      store,
      machine: hardware,
      configuration,
      accounts,
      documents,
      now: () => new Date(now()),
      random: (bytes) => hex(randomBytes(bytes)),
      accessed: (session) => sessions.accessed(session)
    }
    const restart: (() => void)[] = []
    const restarts = () => {
      // The answer to the request that asks for it is on its way first.
      setTimeout(() => {
        for (const listener of restart) listener()
      }, 0)
    }
    const perform = async (command: Command) => {
      if ('restart' in command) restarts()
      else await hardware.perform(command)
    }
    hardware.onAuxCycle(restarts)
    restoreIndicators(store, hardware)
    await logbook.managers('OK', 'The management controller started.')
    const routes = new Routes(handlers, configuration.limits.parameter)
    const build = fingerprint(parts)
    const handling = new Handling(around, routes, new Authentication(accounts, sessions), perform, build)
    const reaper = setInterval(() => sessions.reap(), reapEvery)
    reaper.unref()
    return {
      handling,
      hardware,
      store,
      generatedPassword,
      onRestart: (listener) => restart.push(listener),
      async close() {
        clearInterval(reaper)
        await firmware.close()
        await hardware.close()
        await logbook.close()
        await store.close()
      }
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Lamps show what clients asked for, also after a power cut that put them out. */
function restoreIndicators(store: Store, hardware: Hardware): void {
  for (const chassis of store.keys('chassis')) {
    if (!Object.hasOwn(hardware.board.chassis, chassis)) continue
    const indicator = store.get('chassis', chassis)?.locating ? 'Blinking' : 'Off'
    hardware.perform({ indicator, chassis }).catch((error: Error) => log('warning', error.message, { chassis }))
  }
}

/** What an answer depends on besides revisions: the build, the board and the configuration. Eight hex digits. */
function fingerprint({ version, board, configuration }: ServiceParts): string {
  const text = JSON.stringify([version, board, configuration])
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
