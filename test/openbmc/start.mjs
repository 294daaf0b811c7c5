/**
 * Before `npm start`: with `--board openbmc-sim`, a simulated machine with OpenBMC starts, and the service has its board.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const at = process.argv.findIndex((each, index) => each === 'openbmc-sim' && process.argv[index - 1] === '--board')
if (at > 0) process.argv[at] = await simulatedMachine()

/**
 * Starts the bus and the daemons, which end with this process. Ends it where one of them is missing.
 *
 * @returns {Promise<string>} the board file of the machine
 */
async function simulatedMachine() {
  const folder = mkdtempSync(join(tmpdir(), 'openbmc-sim-'))
  const socket = join(folder, 'bus')
  const address = `unix:path=${socket}`
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  await started('dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address', `--address=${address}`])
  // The distribution's own interpreter has its packages.
  await started('/usr/bin/python3', ['test/openbmc/simulator.py', address])
  const file = join(folder, 'board.json')
  writeFileSync(file, JSON.stringify(onBus(JSON.parse(readFileSync('data/boards/openbmc.json', 'utf8')), socket)))
  console.log(`minnow: the bus of the simulated machine is ${address}`)
  return file
}

/**
 * The board `openbmc` on another bus, without the users and the certificates of the bus, which need helpers.
 *
 * @param {{ managers: { bmc: { users?: object, certificates?: object } }, [member: string]: unknown }} board
 * @param {string} socket
 */
export function onBus(board, socket) {
  const { users: _, certificates: __, ...bmc } = board.managers.bmc
  const whole = { ...board, managers: { bmc } }
  return JSON.parse(JSON.stringify(whole), (_, value) => (value?.type === 'openbmc' ? { ...value, socket } : value))
}

/**
 * Starts a program that prints a line once it can be used.
 *
 * @param {string} command
 * @param {string[]} args
 */
async function started(command, args) {
  const program = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  process.on('exit', () => program.kill())
  const line = once(createInterface({ input: program.stdout }), 'line')
  const ended = once(program, 'exit').then(([status]) => {
    throw new Error(`${command} ended with ${status}`)
  })
  await Promise.race([line, ended]).catch((error) => {
    console.error(`minnow: ${error.message}; the simulated machine needs dbus-daemon, python3-dbus and python3-gi`)
    process.exit(2)
  })
  // The service ends when nothing is left to do, and they with it.
  program.unref()
  const output = /** @type {import('node:net').Socket} */ (program.stdout)
  output.unref()
}
