/** Shows the progress of a build. */
import { Worker } from 'node:worker_threads'

/** Milliseconds until a step is named, and until it is named again. */
const delays = { first: 5000, again: 30_000 }

/** Programs that a build waits for block its thread, and the clock with it: this runs in another one. */
const teller = `
const { writeSync } = require('node:fs')
const { parentPort, workerData: { first, again } } = require('node:worker_threads')
let timer
parentPort.on('message', (step) => {
  clearTimeout(timer)
  if (step === undefined) return
  const tell = () => {
    writeSync(2, \`\${step.name} … \${Math.round((Date.now() - step.began) / 1000)} s\\n\`)
    timer = setTimeout(tell, again)
  }
  timer = setTimeout(tell, first)
})`

/** @type {Worker | undefined} */
let worker
/** @type {{ name: string, began: number }[]} */
const steps = []

/**
 * Does a step of a build. A long step is named on standard error, with its duration.
 *
 * @template T
 * @param {string} name such as `compiling U-Boot`
 * @param {() => T} work
 * @returns {T} what `work` returns
 */
export function step(name, work) {
  worker ??= new Worker(teller, { eval: true, execArgv: [], workerData: delays })
  worker.unref()
  steps.push({ name, began: Date.now() })
  try {
    worker.postMessage(steps.at(-1))
    return work()
  } finally {
    steps.pop()
    worker.postMessage(steps.at(-1))
  }
}
