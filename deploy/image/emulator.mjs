/**
 * An emulated board with the image in its flash:
 *
 *   node deploy/image/emulator.mjs --board ast2600-evb [--out DIR] [--port N]
 */
/** @import { Command } from '../../runtime/build/command.mjs' */
/** @import { Board } from './boards.mjs' */
import { spawn } from 'node:child_process'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readBoard } from './boards.mjs'

const defaultPort = '8443'
/** Where a board has no boot loader, the emulator takes its kernel from files. They are named as QEMU's options are. */
export const kernelFiles = /** @type {const} */ (['kernel', 'initrd', 'dtb'])

/**
 * The command line of QEMU for a board with the chips in `folder`. Its console is on standard input and output. UNIX sockets
 * in `folder` are QEMU's monitor, `monitor`, and the host's end of the serial line to it, `host.serial`. Each port of the board
 * has a network of its own: 10.0.2.0/24 `port1`, from which `ports` lead, 10.0.3.0/24 `port2`, and so on.
 *
 * @param {Board} board
 * @param {string} folder
 * @param {Readonly<Record<number, number | string>>} ports of this machine's loopback by the board's that they lead to; 0
 *   takes a free one
 * @returns {Command}
 */
export function emulator({ emulator: qemu, hostFlash, bootloader, machine }, folder, ports) {
  const listening = (/** @type {string} */ name) => `unix:${join(folder, name)},server=on,wait=off`
  const chips = ['flash.img', ...(hostFlash === undefined ? [] : ['host.img'])]
  const drives = chips.flatMap((name) => ['-drive', `if=mtd,format=raw,file=${join(folder, name)}`])
  const kernel = bootloader === undefined ? kernelFiles.flatMap((name) => [`-${name}`, join(folder, name)]) : []
  const forwards = Object.entries(ports).map(([inside, outside]) => `hostfwd=tcp:127.0.0.1:${outside}-:${inside}`)
  // The first is the console, which QEMU connects with the UART that the SoC has for that; the next one is the first other.
  const serials = ['-serial', 'stdio']
  if (Object.values(machine.systems).some(({ console }) => console?.type === 'tty'))
    serials.push('-serial', listening('host.serial'))
  const monitor = ['-monitor', listening('monitor')]
  const [, ...others] = Object.values(machine.managers).flatMap((manager) => Object.keys(manager.ethernetInterfaces))
  const networks = ['-nic', ['user', 'id=port1', ...forwards].join()]
  for (const index of others.keys()) networks.push('-nic', `user,id=port${index + 2},net=10.0.${index + 3}.0/24`)
  return [qemu.command, ...qemu.arguments, ...serials, ...monitor, ...kernel, ...drives, ...networks]
}

/**
 * Runs a board with its console on the terminal, until it is interrupted.
 *
 * @param {Board} board
 * @param {string} folder with its chips
 * @param {string} [port] of this machine, where the service on the board answers
 */
export function runBoard(board, folder, port = defaultPort) {
  const [command, ...args] = emulator(board, folder, { [board.service.port]: port })
  process.stdout.write(`https://localhost:${port}/redfish/v1/ when it is up; the console follows\n`)
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  process.once('SIGTERM', () => child.kill())
  child.on('error', (error) => {
    process.stderr.write(`${command}: ${error.message}\n`)
    process.exitCode = 1
  })
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      board: { type: 'string', default: 'ast2600-evb' },
      out: { type: 'string' },
      port: { type: 'string' }
    }
  })
  const board = readBoard(values.board)
  const dist = join(dirname(fileURLToPath(import.meta.url)), '../../dist')
  runBoard(board, resolve(values.out ?? join(dist, board.name)), values.port)
}
