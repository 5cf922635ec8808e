function o(){let e=performance.now(),n=0;return()=>{if(!(++n%256!==0||performance.now()-e<24))return new Promise(r=>setTimeout(()=>{e=performance.now(),r()}))}}export{o as a};
