/**
 * The time of files that are built, in seconds since 1970: that in SOURCE_DATE_EPOCH (reproducible-builds.org), or the first
 * of 2026. When something is built is no part of it.
 */
export const sourceDate = () => Number(process.env.SOURCE_DATE_EPOCH ?? Date.UTC(2026) / 1000)
