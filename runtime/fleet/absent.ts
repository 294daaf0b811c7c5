/** In place of `command.ts` in a binary without simulated controllers (`node build.mjs --without fleet`). */
export const fleetCommand = () => undefined
