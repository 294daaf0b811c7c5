import { render } from 'preact'
import { App } from './app.tsx'
import { chosenLanguage } from './service/preferences.ts'
import { endWithPage, restore } from './service/session.ts'
import { show } from './words/index.ts'

restore()
endWithPage()
// Without the file of another language, the page is English.
await show(chosenLanguage.value).catch(() => {})
render(<App />, document.body)
