import { Failure } from '../rules/failure.ts'
import { messagesOf, session } from './client.ts'

/**
 * Sends an update file with its parameters (DSP0266 13.8.3). `fetch` says nothing of how far it is; this does.
 *
 * @param progress called with the part that was sent, from 0 to 1
 * @throws Failure
 */
export function upload(
  uri: string,
  parameters: object,
  file: File,
  progress: (part: number) => void
): Promise<{ readonly body: { readonly [name: string]: unknown } }> {
  const form = new FormData()
  form.append('UpdateParameters', new Blob([JSON.stringify(parameters)], { type: 'application/json' }))
  form.append('UpdateFile', file)
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', uri)
    request.setRequestHeader('X-Auth-Token', session.value?.token ?? '')
    request.upload.onprogress = ({ loaded, total }) => progress(loaded / total)
    request.onerror = () => reject(new Failure(0, []))
    request.onload = () => {
      const body = parsed(request.responseText)
      if (request.status < 300) resolve({ body })
      else reject(new Failure(request.status, messagesOf(body)))
    }
    request.send(form)
  })
}

function parsed(text: string): { readonly [name: string]: unknown } {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
