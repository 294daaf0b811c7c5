import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { tidy } from './crawl.ts'
import { isObject, pathOf, type Resource, textIn } from './resources.ts'

/** How many folders may lie within one another. */
const deepest = 64

/**
 * Reads a mockup as Redfish-Mockup-Creator writes it and as DMTF bundles them (DSP2043): a folder for each segment of a
 * path, and in it `index.json`. The folder may begin at `/redfish`, at `/redfish/v1`, or at the server's root.
 *
 * @param said called with each file that is not recorded, and why
 * @throws Error if the folder cannot be read
 */
export function readMockup(folder: string, most: number, said: (line: string) => void): Map<string, Resource> {
  const resources = new Map<string, Resource>()
  const enter = (at: string, path: string, depth: number) => {
    for (const name of readdirSync(at).sort()) {
      const file = `${at}/${name}`
      const isFolder = lstatSync(file)?.isDirectory()
      if (isFolder && depth < deepest) enter(file, `${path}/${name}`, depth + 1)
      if (isFolder || name !== 'index.json') continue
      if (resources.size >= most) throw new RangeError(`there are more than ${most} resources`)
      try {
        const resource = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')) as unknown
        if (!isObject(resource)) throw new Error('it is not a JSON object')
        const own = pathOf(textIn(resource, '@odata.id', path))
        resources.set(own.startsWith('/redfish/v1') ? own : path, tidy(resource))
      } catch (error) {
        said(`${file}: ${(error as Error).message}`)
      }
    }
  }
  const names = readdirSync(folder)
  enter(folder, names.includes('redfish') ? '' : names.includes('v1') ? '/redfish' : '/redfish/v1', 0)
  return new Map([...resources].filter(([path]) => /^\/redfish\/v1(\/|$)/.test(path)))
}
