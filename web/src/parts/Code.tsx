/**
 * Shows machine-readable text whole and unchanged; it scrolls within itself, and a button copies
 * it.
 */
import { Box } from '@mantine/core'
import classes from './Code.module.css'
import { CopyButton } from './CopyField.tsx'

export function Code({
  children,
  label,
  wrap = true,
}: {
  children: string
  label: string
  wrap?: boolean
}) {
  return (
    <Box className={classes.frame}>
      <pre className={classes.text} data-wrap={wrap} tabIndex={0} aria-label={label}>
        {children}
      </pre>
      <Box className={classes.copy}>
        <CopyButton value={children} label={label} />
      </Box>
    </Box>
  )
}
