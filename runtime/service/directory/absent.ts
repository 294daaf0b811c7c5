/** In place of `directories.ts` in a binary without them (`node build.mjs --without directory`): logins ask none. */
export const openDirectories = () => []
