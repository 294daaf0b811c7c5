import t from 'tap'
import { oem, resource, text } from '#data/resource'
import { list, object } from '#runtime/schema'

t.test('an object has the properties that are declared, and requires those that are named', async (t) => {
  t.same(object({ Label: text }), { type: 'object', properties: { Label: text } })
  t.same(object(['Label'], { Label: text }), { type: 'object', required: ['Label'], properties: { Label: text } })
  t.same(list(text), { type: 'array', items: text })
})

t.test('a resource has a title from its type, and the properties of all resources', async (t) => {
  const { title, description, required, properties } = resource('Shelf.v1_2_0', 'A shelf', ['Label'], { Label: text })
  t.equal(title, '#Shelf.v1_2_0.Shelf')
  t.equal(description, 'A shelf')
  t.same(required, ['@odata.id', '@odata.type', 'Id', 'Name', 'Label'])
  t.equal(properties.Label, text)
  t.match(properties, { '@odata.id': { type: 'string' }, Name: { type: 'string' } })
  t.notOk(resource('Shelf.v1_2_0', 'A shelf', { Label: text }).required.includes('Label' as never))
})

t.test("a vendor's block is a type of its own", async (t) => {
  const { Vendor } = oem('VendorShelf.v1_0_0', { Depth: text }).properties
  t.match(Vendor, { title: '#VendorShelf.v1_0_0.VendorShelf', required: ['@odata.type'] })
  t.equal(Vendor.properties.Depth, text)
})
