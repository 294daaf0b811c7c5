import { render } from 'preact'
import { App } from './app.tsx'
import { endWithPage, restore } from './service/session.ts'
import { language, preferred } from './words.ts'

language.value = preferred(navigator.languages)
restore()
endWithPage()
render(<App />, document.body)
