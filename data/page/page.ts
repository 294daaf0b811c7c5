/** Where the files of the page are among the documents. */
const folder = 'page/'

/** The document that begins the page. */
export const pageDocument = `${folder}index.html`

/** The name of a file of the page among the documents. */
export const pageFile = (name: string) => `${folder}${name}`

/** The media types of the files of the page by their endings. */
const types: Readonly<Record<string, string>> = {
  css: 'text/css;charset=utf-8',
  html: 'text/html;charset=utf-8',
  js: 'text/javascript;charset=utf-8',
  svg: 'image/svg+xml'
}

/** The media type of a file of the page; undefined for any other file. */
export function pageType(name: string): string | undefined {
  return types[name.slice(name.lastIndexOf('.') + 1)]
}

/**
 * The headers that restrict the page in a browser to its own scripts and its own service (Content Security Policy Level
 * 3, Trusted Types, Permissions Policy). No page may frame it.
 */
export const pageHeaders: readonly string[] = [
  'Content-Security-Policy',
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join('; '),
  'X-Frame-Options',
  'DENY',
  'Referrer-Policy',
  'no-referrer',
  'Permissions-Policy',
  'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin'
]
