/** The terms of all that is in an image, and what that is. */
/** @import { Board } from './boards.mjs' */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { licensesOf, section } from '../../runtime/build/licenses.mjs'
import { billOfMaterials } from '../../runtime/build/sbom.mjs'
import { bootloaderSource } from './bootloader.mjs'
import { linux } from './linux.mjs'

/**
 * Those of the binary, the kernel, and the boot loader if there is one.
 *
 * @param {Board} board
 * @param {string} binary file, with `.licenses` and `.cdx.json` beside it
 * @param {string} version of the image
 * @returns {{ licenses: string, bill: object }} texts, and a document of CycloneDX
 */
export function thirdParties(board, binary, version) {
  const kernel = linux(board)
  const { arch, bootloader } = board
  const loader = bootloader && { name: bootloader.package, source: bootloaderSource({ arch, bootloader }) }
  const own = loader ? section(loader.name, join(loader.source, 'Licenses/README')) : ''
  const { components } = JSON.parse(readFileSync(`${binary}.cdx.json`, 'utf8'))
  return {
    licenses: readFileSync(`${binary}.licenses`, 'utf8') + own + licensesOf([kernel], []),
    bill: billOfMaterials({
      name: `minnow-${board.name}`,
      version,
      folders: loader ? [kernel, loader.source] : [kernel],
      inputs: [],
      parts: components
    })
  }
}
