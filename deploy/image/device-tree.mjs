/** The device tree of a board: the kernel's own, with the additions of the board's description. */
/** @import { Board } from './boards.mjs' */
import { writeFileSync } from 'node:fs'
import { run } from '../../runtime/build/command.mjs'

/**
 * @param {string} tree file, compiled
 * @param {Board} board
 * @returns its source, with the additions
 */
export function deviceTree(tree, board) {
  const names = lineNames(tree, board)
  const additions =
    bootArguments(board) + enabledNodes(board) + lineNodes(board, names) + ledNodes(board) + partitionNodes(board.flash)
  return run(['dtc', '-q', '-I', 'dtb', '-O', 'dts', tree]) + additions
}

/**
 * @param {string} source
 * @param {string} out file
 * @returns the whole as dtc reads it
 */
export function compile(source, out) {
  writeFileSync(`${out}.dts`, source)
  run(['dtc', '-q', '-I', 'dts', '-O', 'dtb', '-o', out, `${out}.dts`])
  return run(['dtc', '-q', '-I', 'dtb', '-O', 'dts', out])
}

/** @param {Board} board */
const bootArguments = ({ kernel }) => `
/ {
  chosen {
    bootargs = "console=${kernel.console} ${kernel.arguments}";
  };
};
`

/** @param {Board} board */
const enabledNodes = ({ enable = [] }) =>
  enable
    .map(
      (node) => `
&{${node}} {
  status = "okay";
};
`
    )
    .join('')

/**
 * The number of a line on its controller: eight for each letter.
 *
 * @param {Board} board
 * @param {string} pin such as `N2`
 * @throws {Error} if the controller has no such pin
 */
export function lineNumber({ gpio }, pin) {
  const [, port = '', bit] = /^([A-Z])([0-7])$/.exec(pin) ?? []
  const number = 8 * (port.charCodeAt(0) - 65) + Number(bit)
  if (!(number < gpio.count)) throw new Error(`there is no GPIO line ${pin}: the first is A0`)
  return number
}

/**
 * Those that the kernel's tree has, with those of the board over them.
 *
 * @param {string} tree file, compiled
 * @param {Board} board
 * @returns {string[] | undefined} undefined if the board has no additions
 */
function lineNames(tree, board) {
  const { gpio, lines = {} } = board
  if (Object.keys(lines).length === 0) return undefined
  const bytes = run(['fdtget', '-t', 'bx', '-d', '', tree, gpio.node, 'gpio-line-names']).trim()
  const known = Buffer.from(bytes.split(' ').map((byte) => Number.parseInt(byte, 16)))
    .toString()
    .split('\0')
  const names = Array.from({ length: gpio.count }, (_, number) => known[number] ?? '')
  for (const [pin, name] of Object.entries(lines)) names[lineNumber(board, pin)] = name
  return names
}

/**
 * @param {Board} board
 * @param {readonly string[] | undefined} names
 */
function lineNodes({ gpio }, names) {
  if (names === undefined) return ''
  return `
&{${gpio.node}} {
  gpio-line-names = ${names.map((name) => JSON.stringify(name)).join(', ')};
};
`
}

/** @param {Board} board */
function ledNodes(board) {
  const leds = Object.entries(board.leds ?? {}).map(
    ([name, { line, activeLow = false }]) => `
    ${name} {
      label = "${name}";
      gpios = <&{${board.gpio.node}} ${lineNumber(board, line)} ${Number(activeLow)}>;
    };`
  )
  if (leds.length === 0) return ''
  return `
/ {
  board-leds {
    compatible = "gpio-leds";${leds.join('')}
  };
};
`
}

/**
 * The partitions of a chip in place of those that the kernel's tree has for it.
 *
 * @param {Board['flash']} flash
 * @returns the source of additions to a device tree
 */
export function partitionNodes({ node, partitions }) {
  const nodes = partitions.map(
    ({ name, offset, size }) => `
    partition@${offset.toString(16)} {
      label = "${name}";
      reg = <0x${offset.toString(16)} 0x${size.toString(16)}>;
    };`
  )
  return `
&{${node}} {
  /delete-node/ partitions;
};

&{${node}} {
  partitions {
    compatible = "fixed-partitions";
    #address-cells = <1>;
    #size-cells = <1>;${nodes.join('')}
  };
};
`
}
