import { fleetCommand } from '#runtime/fleet/command.ts'
import { run } from '#runtime/host/run.ts'
import { listenAlso, parts } from './parts.ts'

await run({ ...parts, fleet: fleetCommand(listenAlso) })
