/** @import { Plugin } from 'esbuild' */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { nodeBundle } from '../../runtime/build/bundle.mjs'
import { shortRegistries } from '../../runtime/build/registries.mjs'
import { findTests, groupTests } from './files.mjs'
import { bundle } from './modules.mjs'
import { findUnmet } from './needs.mjs'

/** The service for Node.js with all mutants of a run, for tests whose services are processes of their own. */
export class MutatedService {
  /** @type {string} */
  #out
  /** The bundles of the tests. @type {Map<string, string>} */
  #modules
  /** Milliseconds of each test, as far as it passes without a mutant. @type {Map<string, number>} */
  times = new Map()
  /** The tests that run the line of a mutant. @type {Map<number, string[]>} */
  tests = new Map()

  /**
   * @param {string} out
   * @param {Map<string, string>} modules
   */
  constructor(out, modules) {
    this.#out = out
    this.#modules = modules
  }

  /**
   * Bundles the service, and the tests in `test/host` whose programs are installed.
   *
   * @param {string} out folder in `dist`
   * @param {Plugin} plugin puts the mutants into the sources
   */
  static async build(out, plugin) {
    const groups = groupTests(findTests(['test/host/'])).filter(({ shared }) => !shared)
    const { modules, required } = await bundle(join(out, 'host'), groups, { sourcemap: false })
    const files = new Map(modules.map(({ file, group }) => [group.files[0] ?? '', file]))
    for (const test of findUnmet([...files.keys()], required).keys()) files.delete(test)
    const plugins = [plugin, shortRegistries({})]
    await nodeBundle({ entry: 'main.ts', out: join(out, 'minnow.mjs'), generated: resolve('dist/generated'), plugins })
    for (const part of ['documents.bin', 'native']) symlinkSync(resolve('dist', part), join(out, part))
    return new MutatedService(out, files)
  }

  /** Runs each test without a mutant, and notes which lines with a mutant it runs after the service has loaded. */
  tasks() {
    return [...this.#modules.keys()].map((test, index) => async () => {
      const record = resolve(this.#out, `ran-${index}`)
      const started = performance.now()
      const note = `if ($loading === 0 && !ran.has(id)) appendFileSync(${JSON.stringify(record)}, \`\${id} \`)
  ran.add(id)
  return false`
      const ok = await this.#run(test, `recording-${index}`, note, 900_000)
      if (!ok) return console.log(`fails without a mutant: ${test}`)
      this.times.set(test, performance.now() - started)
      const ran = existsSync(record) ? readFileSync(record, 'utf8').split(' ').filter(Boolean).map(Number) : []
      for (const mutant of new Set(ran)) this.tests.set(mutant, [...(this.tests.get(mutant) ?? []), test])
    })
  }

  /**
   * Whether a test notices that a mutant is alive.
   *
   * @param {string} test
   * @param {number} mutant
   */
  async catches(test, mutant) {
    const limit = 20_000 + 5 * (this.times.get(test) ?? 0)
    return !(await this.#run(test, `mutant-${mutant}`, `return id === ${mutant}`, limit))
  }

  /**
   * Runs a test, with the service under another name, which selects what is alive in it.
   *
   * @param {string} test
   * @param {string} name
   * @param {string} alive the body of a function of a mutant's number
   * @param {number} limit milliseconds
   * @returns {Promise<boolean>} whether it passed in time
   */
  #run(test, name, alive, limit) {
    const service = join(this.#out, `${name}.mjs`)
    const start = `import { appendFileSync } from 'node:fs'
const ran = new Set()
globalThis.$loading = 0
globalThis.$enter = () => {}
globalThis.$alive = (id) => {
  ${alive}
}
await import('./minnow.mjs')
`
    writeFileSync(service, start)
    // A group of processes, so that services end with their test, also with one that fails or takes too long.
    const child = spawn(process.execPath, [this.#modules.get(test) ?? ''], {
      stdio: 'ignore',
      detached: true,
      env: { ...process.env, MINNOW_SERVICE: service, MINNOW_HOSTS: 'node', TAP_TIMEOUT: '900', TAP_BAIL: '1' }
    })
    const end = () => {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL')
      } catch (error) {
        // All of them have ended.
        if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error
      }
    }
    const timer = setTimeout(end, limit)
    return new Promise((done) =>
      child.on('close', (status) => {
        clearTimeout(timer)
        end()
        done(status === 0)
      })
    )
  }
}
