/** All checks of the sources that a build makes. */
/** @import { Handler } from '../handlers.mjs' */
/** @import { JsonFile } from '../json-files.mjs' */
/** @import { Sources } from '../sources.mjs' */
import { boardMistakes } from './boards.mjs'
import { handlerMistakes } from './handlers.mjs'
import { Mistakes } from './mistakes.mjs'
import { nounMistakes } from './nouns.mjs'
import { attributeRegistryMistakes, messageRegistryMistakes } from './registries.mjs'

/**
 * @param {object} checked
 * @param {string} checked.data folder of the nouns
 * @param {readonly Handler[]} checked.handlers
 * @param {readonly JsonFile[]} checked.boards
 * @param {readonly JsonFile[]} checked.messages registries of them
 * @param {readonly JsonFile[]} checked.attributes registries of them
 * @param {readonly string[]} checked.known ids of the attribute registries that boards may name
 * @param {Sources} sources
 * @throws {Mistakes} all of them
 */
export function check({ data, handlers, boards, messages, attributes, known }, sources) {
  const mistakes = [
    ...handlerMistakes(handlers, sources),
    ...nounMistakes(
      data,
      handlers.map(({ file }) => file)
    ),
    ...boardMistakes(boards, known, sources),
    ...messageRegistryMistakes(messages, sources),
    ...attributeRegistryMistakes(attributes, sources)
  ]
  if (mistakes.length > 0) throw new Mistakes(mistakes)
}
