import { render } from 'preact'
import { chosenLanguage, declareLanguage, followTheme } from '../service/preferences.ts'
import { endWithPage, restore, stayAlive } from '../service/session.ts'
import { show } from '../words/index.ts'
import { App } from './app.tsx'
import { followControllers } from './controllers.ts'
import { followLanguage } from './words/index.ts'

followTheme()
declareLanguage()
restore()
endWithPage()
stayAlive()
followControllers()
// Without the file of another language, the page is English.
await show(chosenLanguage.value).catch(() => {})
followLanguage()
render(<App />, document.body)
