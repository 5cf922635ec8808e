/** A planted defect: every body is answered in the thread that received it. */
process.env['WORKERS'] = '0'
