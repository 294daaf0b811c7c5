import { readFileSync } from 'node:fs'
import t from 'tap'
import { keepAttributeRegistries, readAttributeRegistry } from '#runtime/service/machine/attribute-registry.ts'
import { openDocuments } from '#runtime/store/documents.ts'

const opened = () => openDocuments(readFileSync('dist/documents.bin'))
const id = opened()
  .names.map((name) => /^registries\/(BiosAttributeRegistry.*)\.json$/.exec(name)?.[1])
  .find((each) => each !== undefined)!

t.test('a registry is read from its file each time, unless those of its documents are kept', async (t) => {
  const [documents, others] = [opened(), opened()]
  const read = () => readAttributeRegistry(documents, id)
  t.match(read(), { Id: id })
  t.not(read(), read())
  keepAttributeRegistries(documents)
  const first = read()
  t.equal(read(), first)
  keepAttributeRegistries(documents)
  t.equal(read(), first)
  t.not(readAttributeRegistry(others, id), readAttributeRegistry(others, id))
})

t.test('an unknown registry is a bug of the caller', async (t) => {
  t.throws(() => readAttributeRegistry(opened(), 'BiosAttributeRegistryNone'), RangeError)
})
