import { readBoard } from '#runtime/command/board-file.ts'
import { redacted } from '#runtime/recording/redaction/redact.ts'
import { boardOf } from '#runtime/recording/serving/board.ts'
import { readMockups } from '#runtime/recording/source/mockup.ts'
import { simulated } from '#test/runtime/service.ts'

/** A mockup of a maker as `minnow record` writes it. */
export function recorded(folder: string, { redact = false, most = 1000 } = {}) {
  const said: string[] = []
  const resources = redacted(readMockups(folder, most, (line) => said.push(line)).get('') ?? new Map(), redact)
  const { parts } = simulated(folder)
  const board = boardOf(resources, readBoard('sim', parts.documents), 'recorded')
  return { file: JSON.parse(JSON.stringify({ ...board, resources: Object.fromEntries(resources) })), said }
}
