/**
 * The globals of Node.js that the service and its packages use. The entry of every bundle imports this first.
 */
import engine from 'minnow:engine'
import system from 'minnow:system'
import console from './console.ts'
import { TextDecoder, TextEncoder } from './encoding.ts'
import process from './process.ts'
import { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from './timers.ts'
import { URL } from './url.ts'

const { atob, btoa, queueMicrotask } = engine
/** From the start of the machine on: what C notes is by the same clock. */
const performance = { now: () => system.now() }

const globals = {
  atob,
  btoa,
  clearImmediate,
  clearInterval,
  clearTimeout,
  console,
  performance,
  process,
  queueMicrotask,
  setImmediate,
  setInterval,
  setTimeout,
  TextDecoder,
  TextEncoder,
  URL
}

for (const [name, value] of Object.entries(globals)) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}
