import { render } from 'preact'
import { App } from './app.tsx'
import { chosenLanguage, declareLanguage, followTheme } from './service/preferences.ts'
import { followPrivileges } from './service/privileges.ts'
import { readAhead } from './service/resources.ts'
import { endWithPage, restore, stayAlive } from './service/session.ts'
import { show } from './words/index.ts'

followTheme()
declareLanguage()
restore()
endWithPage()
stayAlive()
followPrivileges()
readAhead()
// Without the file of another language, the page is English.
await show(chosenLanguage.value).catch(() => {})
render(<App />, document.body)
