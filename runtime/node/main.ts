import process from 'node:process'
import { run } from '#runtime/command/run.ts'
import { fleetCommand } from '#runtime/fleet/command.ts'
import { listenAlso, parts } from './parts.ts'

/** This program, without its arguments. */
const program = [process.execPath, ...process.execArgv, process.argv[1]!]

await run({ ...parts, fleet: async () => fleetCommand(listenAlso, program) })
