/*
 * In place of the `backends.ts` of each folder that a binary is built without (`node build.mjs --backends`).
 */
export const flashBackends = {}
export const gpioBackends = {}
export const openbmcBackends = {}
export const qemuBackends = {}
export const simBackends = {}
export const sysfsBackends = {}
export const ttyBackends = {}
export const ubootBackends = {}
