/**
 * Whether the installed packages are the required ones. Both arguments are lock files of npm: `package-lock.json`, and
 * `node_modules/.package-lock.json`, which npm writes when it has installed everything (npm's "package-lock.json"
 * page).
 *
 * @typedef {{ version?: string, optional?: boolean, devOptional?: boolean }} Package
 * @typedef {{ packages: Record<string, Package> }} Lock by the folders of the packages
 * @param {Lock} asked
 * @param {Lock} installed
 */
export function areInstalled(asked, installed) {
  return Object.entries(asked.packages).every(
    ([folder, { version, optional, devOptional }]) =>
      // The project itself, and packages for other machines.
      folder === '' || optional || devOptional || installed.packages[folder]?.version === version
  )
}
