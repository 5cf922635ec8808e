//! A record with the fields of the payloads of 10 and 50 fields; others are skipped. Fields that are not given stay `None`.
use std::collections::HashMap;

use serde::Deserialize;

use crate::domain::{is_date, Domain};

#[derive(Clone, Copy, Deserialize, PartialEq)]
pub enum Sex {
    F,
    M,
    X,
}

macro_rules! record {
    (numbers { $($number:ident: $number_name:literal,)* } dates { $($date:ident,)* }) => {
        #[derive(Deserialize)]
        pub struct Record<'a> {
            pub idx: i64,
            pub sex: Option<Sex>,
            $(#[serde(rename = $number_name)] pub $number: Option<f64>,)*
            $(#[serde(borrow)] pub $date: Option<&'a str>,)*
        }

        /// What each field of a record may hold.
        pub struct Domains {
            $($number: Domain,)*
        }

        impl Domains {
            pub fn new(mut by_name: HashMap<String, Domain>) -> Self {
                Domains { $($number: by_name.remove($number_name).expect($number_name),)* }
            }

            /// Whether every given field holds what it may.
            pub fn permit(&self, record: &Record) -> bool {
                $(record.$number.is_none_or(|value| self.$number.permits(value)))&&*
                    && $(record.$date.is_none_or(is_date))&&*
            }
        }
    };
}

record! {
    numbers {
        age: "age",
        inpatient_admissions: "inpatientAdmissions",
        emergency_admissions: "emergencyAdmissions",
        stay_days: "stayDays",
        haemoglobin: "haemoglobin",
        barthel_feeding: "barthel_feeding",
        barthel_bathing: "barthel_bathing",
        barthel_grooming: "barthel_grooming",
        barthel_dressing: "barthel_dressing",
        barthel_bowels: "barthel_bowels",
        barthel_bladder: "barthel_bladder",
        barthel_toilet_use: "barthel_toiletUse",
        barthel_chair_transfers: "barthel_chairTransfers",
        barthel_mobility: "barthel_mobility",
        barthel_stairs: "barthel_stairs",
        barthel_total: "barthel_total",
        braden_sensory_perception: "braden_sensoryPerception",
        braden_moisture: "braden_moisture",
        braden_activity: "braden_activity",
        braden_mobility: "braden_mobility",
        braden_nutrition: "braden_nutrition",
        braden_friction_shear: "braden_frictionShear",
        braden_total: "braden_total",
        charlson_total: "charlson_total",
        frail_fatigue: "frail_fatigue",
        frail_resistance: "frail_resistance",
        frail_ambulation: "frail_ambulation",
        frail_illnesses: "frail_illnesses",
        frail_loss_of_weight: "frail_lossOfWeight",
        frail_total: "frail_total",
        mna_food_intake: "mna_foodIntake",
        mna_weight_loss: "mna_weightLoss",
        mna_mobility: "mna_mobility",
        mna_acute_disease: "mna_acuteDisease",
        mna_neuropsychological: "mna_neuropsychological",
        mna_bmi: "mna_bmi",
        mna_lives_independently: "mna_livesIndependently",
        mna_many_drugs: "mna_manyDrugs",
        mna_pressure_sores: "mna_pressureSores",
        mna_full_meals: "mna_fullMeals",
        mna_protein_markers: "mna_proteinMarkers",
        mna_fruit_vegetables: "mna_fruitVegetables",
        mna_fluid_intake: "mna_fluidIntake",
        mna_mode_of_feeding: "mna_modeOfFeeding",
        mna_self_view_nutrition: "mna_selfViewNutrition",
        mna_self_view_health: "mna_selfViewHealth",
        mna_mid_arm_circumference: "mna_midArmCircumference",
        mna_calf_circumference: "mna_calfCircumference",
        mna_screening: "mna_screening",
        mna_assessment: "mna_assessment",
        mna_total: "mna_total",
    }
    dates {
        barthel_date,
        mna_date,
        braden_date,
        frail_date,
    }
}
