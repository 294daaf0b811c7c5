/** In place of `command.ts` in a binary that is flashed: no simulated controllers, and no faults. */
export const fleetCommand = () => undefined
