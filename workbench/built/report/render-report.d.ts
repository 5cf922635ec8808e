/** A report of patient-risk learn as one page of HTML, without script. */
export declare function renderReport(report: object): string
export declare function renderMonitoring(report: object): string
