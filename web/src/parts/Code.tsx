/** Shows machine-readable text whole; it scrolls within itself, and a button copies it. */
import { Box } from '@mantine/core'
import classes from './Code.module.css'
import { CopyButton } from './CopyField.tsx'

export function Code({
  children,
  label,
  wrap = true,
  isJson = false,
}: {
  children: string
  label: string
  wrap?: boolean
  /** JSON is shown with its lines indented; what is copied stays as it is. */
  isJson?: boolean
}) {
  return (
    <Box className={classes.frame}>
      <pre className={classes.text} data-wrap={wrap} tabIndex={0} aria-label={label}>
        {isJson ? indented(children) : children}
      </pre>
      <Box className={classes.copy}>
        <CopyButton value={children} label={label} />
      </Box>
    </Box>
  )
}

/** A text that is no JSON stays. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
