/** The kernel for the image, and its device tree. */
/** @import { Board } from './boards.mjs' */
import { join } from 'node:path'
import { compile, deviceTree } from './device-tree.mjs'
import { deviceTrees, linux, zImage } from './linux.mjs'
import { compare } from './machine.mjs'

/**
 * @param {Board} board
 * @param {string} work folder
 * @returns paths
 * @throws {Error} if the board names something that the kernel lacks
 */
export function kernel(board, work) {
  const folder = linux(board)
  const tree = join(work, 'board.dtb')
  compare(board, compile(deviceTree(join(folder, deviceTrees, board.kernel.deviceTree), board), tree))
  return { image: join(folder, zImage), deviceTree: tree }
}
