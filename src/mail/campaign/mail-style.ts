/**
 * The look of our mails: colours in light and dark mode, sizes, and the style sheet for clients
 * that read one.
 */

/** Outlook on Windows and others read no style sheet: each of these stands inline as well. */
export const mailStyle = {
  page: '#f4f4f5',
  card: '#ffffff',
  text: '#1f2937',
  link: '#1d4ed8',
  line: '#d4d4d8',
  footer: '#52525b',
  /**
   * Below an author's own page, whose background is unknown: 4.5 : 1 on white and on black alike
   * (WCAG 2.2, 1.4.3).
   */
  footerAnywhere: '#757575',
  button: '#1d4ed8',
  font: "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif",
  /** Pixels. */
  width: 600,
  /** On both sides of the text; less on a phone. */
  padding: 32,
} as const

/** A table that shows nothing of itself. */
export const bareTable = 'cellpadding="0" cellspacing="0" border="0"'

/**
 * Classes begin with `f-`. Dark colours are written twice: for media queries, and for Outlook's own
 * dark mode on the web.
 */
export const styleSheet = `:root{color-scheme:light dark;supported-color-schemes:light dark}
body{margin:0;padding:0;-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
table{border-collapse:collapse;mso-table-lspace:0;mso-table-rspace:0}
img{border:0;height:auto;line-height:100%;outline:none;text-decoration:none}
@media (max-width:480px){
.f-outer{padding:0!important}
.f-pad{padding-left:20px!important;padding-right:20px!important}
.f-columns{padding-left:0!important;padding-right:0!important}
.f-column{display:block!important;max-width:100%!important}
}
@media (prefers-color-scheme:dark){
.f-page{background:#111113!important}
.f-card{background:#1c1c1f!important}
.f-text,.f-text h1,.f-text h2,.f-text h3{color:#ededef!important}
.f-link{color:#8ab4f8!important}
.f-line{border-color:#48484d!important}
.f-footer,.f-footer a{color:#a1a1aa!important}
}
[data-ogsb] .f-page{background:#111113!important}
[data-ogsb] .f-card{background:#1c1c1f!important}
[data-ogsc] .f-text{color:#ededef!important}
[data-ogsc] .f-link{color:#8ab4f8!important}
[data-ogsc] .f-footer,[data-ogsc] .f-footer a{color:#a1a1aa!important}`

/** Black or white, whichever is easier to read on the ground (WCAG 2.2, relative luminance). */
export function textColorOn(background: string): string {
  const luminance = luminanceOf(background)
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? '#000000' : '#ffffff'
}

/** Of `#rgb` or `#rrggbb`. */
function luminanceOf(color: string): number {
  const digits = color.length === 4 ? color.replace(/[0-9a-f]/gi, '$&$&') : color
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(digits.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
