/** The least that node:https does for an answer: `bare.mjs FILE`, where FILE has headers, body, key and cert. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'

const { headers, body, key, cert } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' && address?.port)
})
