import { admin, type Headers, type Json, type Response, type Server } from './server.ts'

/** The body of a push with parameters (DSP0266 12.2.2). Its boundary is `b`. */
export function form(parameters: object, content: Uint8Array): Buffer {
  const head = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`
  const told = `${head('UpdateParameters')}${JSON.stringify(parameters)}\r\n${head('UpdateFile')}`
  return Buffer.concat([Buffer.from(told), content, Buffer.from('\r\n--b--\r\n')])
}

/** Sends an update file. */
export function push(
  server: Server,
  parameters: object,
  content: Uint8Array,
  headers: Headers = admin
): Promise<Response> {
  const type = { 'content-type': 'multipart/form-data; boundary=b' }
  return server.request(
    'POST',
    '/redfish/v1/UpdateService/update-multipart',
    { ...headers, ...type },
    form(parameters, content)
  )
}

/** The state in which the task of an update ends. */
export async function ends(server: Server, { headers }: Response): Promise<string> {
  const { json } = await server.until(
    () => server.get(String(headers.location)),
    ({ json }: { json: Json }) => json.EndTime !== undefined
  )
  return json.TaskState
}
