import { run } from '#runtime/command/run.ts'
import { fleetCommand } from '#runtime/fleet/command.ts'
import { listenAlso, parts } from './parts.ts'

await run({ ...parts, fleet: async () => fleetCommand(listenAlso) })
