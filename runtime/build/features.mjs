/** The features that a binary can be built without (`docs/binary.md`). */
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/**
 * The parts of a feature in a binary.
 *
 * @typedef {object} Feature
 * @property {Readonly<Record<string, string>>} [modules] by the names by which they are imported, those that take their
 *   place: paths from the root of the tree
 * @property {RegExp} [handlers] templates: the binary has no such resources, nor what is below them, nor such actions
 * @property {RegExp} [documents] names of documents
 * @property {string} [define] macro that leaves it out of our own C
 */

/** @satisfies {Readonly<Record<string, Feature>>} */
export const features = {
  acme: {
    modules: { '#runtime/service/acme/enrollments.ts': 'runtime/service/acme/absent.ts' },
    handlers: /CertificateEnrollments$/
  },
  boards: { documents: /^boards\// },
  directory: {
    modules: { '#runtime/service/directory/directories.ts': 'runtime/service/directory/absent.ts' },
    handlers: /AccountService\.TestDirectory$/
  },
  'file-schemas': { documents: /^[^/]+\.schema\.json$/ },
  fleet: {
    modules: { '#runtime/fleet/command.ts': 'runtime/fleet/absent.ts' },
    documents: /^fleet[./]/
  },
  'ml-kem': { define: 'WITHOUT_ML_KEM' },
  openapi: { documents: /^openapi\.yaml$/ },
  page: { documents: /^page\// },
  recording: { modules: { '#runtime/recording/recordings.ts': 'runtime/recording/absent.ts' } },
  terminal: { documents: /^page\/terminal/ }
}

/** The features that a binary for flash lacks by default: a controller simulates no others, and the terminal is large. */
export const unflashed = ['fleet', 'recording', 'terminal']

/**
 * The modules, handlers, documents and macros of a build that lacks some features.
 *
 * @param {readonly string[]} without names of features
 */
export function left(without) {
  /** @type {Feature[]} */
  const out = without.map((name) => features[/** @type {keyof typeof features} */ (name)])
  const modules = out.flatMap(({ modules = {} }) => Object.entries(modules))
  return {
    alias: Object.fromEntries(modules.map(([name, path]) => [name, join(root, path)])),
    defines: out.flatMap(({ define = [] }) => define),
    isWanted: (/** @type {string} */ document) => !out.some(({ documents }) => documents?.test(document)),
    isServed: (/** @type {string} */ template) => !out.some(({ handlers }) => handlers?.test(template))
  }
}
